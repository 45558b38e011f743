import * as z from 'zod';

import { configSchema } from './config.js';

/** The JSON schema of a config file, from the description that the reader checks it with. What depends on several fields at once is not in it. */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7', unrepresentable: 'throw' });
  return JSON.stringify({ ...schema, title: 'Config file of hawser' }, null, 2);
}
