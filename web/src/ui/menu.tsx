// A small menu behind a button: it closes when something is chosen, with Escape, and when the focus or a click is elsewhere.

import { type ReactNode, useEffect, useRef } from "react";

export function Menu({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  useEffect(() => {
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close();
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, []);
  return (
    <details
      ref={menu}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.stopPropagation();
        close();
        menu.current.querySelector("summary")?.focus();
      }}
    >
      <summary aria-label={label} title={label}>⋯</summary>
      <div className="menu-body" onClick={close}>{children}</div>
    </details>
  );
}
