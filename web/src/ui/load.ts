// Load something when the inputs change, and say what came of it.

import { useEffect, useRef, useState } from "react";

import { sentenceOf } from "../api/client.ts";

export interface Loaded<T> {
  value: T | null;
  problem: string;
  reload: () => void;
}

/** Call `load` at once and whenever `key` changes; an older answer never replaces a newer one. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [result, setResult] = useState<{ value: T | null; problem: string }>({ value: null, problem: "" });
  const [again, setAgain] = useState(0);
  const loading = useRef(load);
  loading.current = load;
  useEffect(() => {
    let current = true;
    loading.current().then(
      (value) => {
        if (current) setResult({ value, problem: "" });
      },
      (error: unknown) => {
        if (current) setResult((before) => ({ value: before.value, problem: sentenceOf(error) }));
      },
    );
    return () => {
      current = false;
    };
  }, [key, again]);
  return { ...result, reload: () => setAgain((count) => count + 1) };
}
