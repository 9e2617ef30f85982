// Light, dark, or as the system says.

import { type ReactNode, useState } from "react";

import { t } from "../strings.ts";

type Theme = "system" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { system: "dark", dark: "light", light: "system" };
const SIGNS: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

export function applyTheme(): void {
  const theme = stored();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function stored(): Theme {
  const theme = localStorage.getItem("theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(stored);
  const change = (): void => {
    const next = NEXT[theme];
    localStorage.setItem("theme", next);
    setTheme(next);
    applyTheme();
  };
  const label = `${t.theme.label}: ${t.theme[theme]}`;
  return (
    <button type="button" className="quiet icon" aria-label={label} title={label} onClick={change}>
      {SIGNS[theme]}
    </button>
  );
}
