/** Why the demo ended early: a message for the person who started it. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
  /**
   * `usage`: wrong arguments; `unavailable`: a requirement is missing; `refused`: these clusters must not be used;
   * `failed`: a step was not seen.
   */
  readonly code: 'usage' | 'unavailable' | 'refused' | 'failed';

  constructor(code: DemoError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
