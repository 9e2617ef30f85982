// The pages of a timeline that were loaded, newest first: no entry twice, none left out between two of them.

import type { Event, Timeline } from "../api/schema.ts";

export interface Pages {
  pages: readonly (readonly Event[])[];
  /** The cursor of the next older page, or null if there is none. */
  before: number | null;
}

export const NO_PAGES: Pages = { pages: [], before: null };

/** Return the pages with the newest one as it is now. Older ones stay as they are, unless entries between are not loaded. */
export function withNewest(known: Pages, newest: Timeline): Pages {
  const last = known.pages[0]?.[0]?.seq ?? 0;
  const fresh = newest.events.filter((event) => event.seq > last);
  const meets = fresh.length < newest.events.length || newest.before === null;
  if (known.pages.length === 0 || !meets) return { pages: [newest.events], before: newest.before };
  return fresh.length === 0 ? known : { ...known, pages: [fresh, ...known.pages] };
}

/** Return the pages with an older one behind them; an answer to another cursor changes nothing. */
export function withOlder(known: Pages, before: number, older: Timeline): Pages {
  if (known.before !== before) return known;
  return { pages: [...known.pages, older.events], before: older.before };
}
