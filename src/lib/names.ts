/** Names for a sentence: all if there are few, otherwise the first ones. */
export function names(all: readonly string[], most = 5): string {
  const distinct = [...new Set(all)];
  const shown = distinct.slice(0, most).join(', ');
  return distinct.length > most ? `${shown} and ${distinct.length - most} more` : shown;
}
