// A modal dialog: the browser's own, which keeps the focus inside and closes with Escape.

import { type ReactNode, useEffect, useId, useRef } from "react";

import { t } from "../strings.ts";

export function Dialog({ title, onClose, children, wide = false }: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? "wide" : ""}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div className="dialog-body">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="quiet icon" aria-label={t.close} onClick={() => dialog.current?.close()}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
