/** Sanitises third-party text, which may be misleading: removes invisible characters and limits the length. */
export function sanitizeText(text: string, most = 1_024): string {
  const seen = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return seen.length > most ? `${seen.slice(0, most)}…` : seen;
}
