/** Words of others, which may be meant to mislead: without what is not seen, and no longer than anybody reads. */
export function toldText(text: string, most = 1_024): string {
  const seen = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return seen.length > most ? `${seen.slice(0, most)}…` : seen;
}
