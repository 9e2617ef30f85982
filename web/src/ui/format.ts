// Numbers and moments for people.

const NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const WHOLE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

export function compact(count: number): string {
  return NUMBER.format(count);
}

/** Return the time of today, or the day. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const today = new Date().toDateString() === date.toDateString();
  return today ? CLOCK.format(date) : DAY.format(date);
}

export function wholeMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : WHOLE.format(date);
}
