/** Reason on a binding while its pairs change hands; a konnector writes nothing then. */
export const PAUSE_REASON = 'hawser migrate: core.kbind.io serves the objects';
