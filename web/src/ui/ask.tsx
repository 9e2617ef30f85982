// A dialog with one field or none, and its answer.

import { type ReactNode, useState } from "react";

import { t } from "../strings.ts";
import { Dialog } from "./dialog.tsx";

export function Ask({ title, text, label, value = "", action, danger = false, onAnswer, onClose }: {
  title: string;
  text?: string;
  label?: string;
  value?: string;
  action: string;
  danger?: boolean;
  onAnswer: (value: string) => void;
  onClose: () => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onAnswer(typed);
          onClose();
        }}
      >
        {text === undefined ? null : <p>{text}</p>}
        {label === undefined ? null : (
          <label className="field">
            <span>{label}</span>
            <input autoFocus value={typed} onChange={(event) => setTyped(event.target.value)} maxLength={500} />
          </label>
        )}
        <footer>
          <button type="button" onClick={onClose}>{t.cancel}</button>
          <button type="submit" className={danger ? "danger" : "primary"}>{action}</button>
        </footer>
      </form>
    </Dialog>
  );
}
