/** What an error says, for a sentence that ends with it. */
export function messageOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return /[.!?]$/u.test(said) ? said : `${said}.`;
}
