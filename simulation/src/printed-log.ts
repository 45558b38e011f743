import type { LogFields, Logger } from '@hawser/telemetry';

/** To standard output, with everything that is known. */
export function printedLog(process_: string, common: LogFields = {}): Logger {
  const print = (message: string, fields: LogFields = {}): void => {
    process.stdout.write(`${process_} ${message} ${JSON.stringify({ ...common, ...fields })}\n`);
  };
  return {
    error: print,
    warn: print,
    info: print,
    debug: print,
    isEnabled: () => true,
    child: (fields) => printedLog(process_, { ...common, ...fields }),
  };
}
