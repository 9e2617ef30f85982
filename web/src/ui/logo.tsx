import type { ReactNode } from "react";

export function Logo(): ReactNode {
  return (
    <svg className="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M16 6v20M16 14c-5 0-7-3-7-6M16 14c5 0 7-3 7-6M16 26c-3 0-6-1-8-4M16 26c3 0 6-1 8-4" />
    </svg>
  );
}
