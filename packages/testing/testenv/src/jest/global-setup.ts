import { tsImport } from 'tsx/esm/api';
import type * as Prepare from './prepare.js';

/** jest's `globalSetup`. jest loads this file outside its own module system, which is why tsx imports it. */
export default async function setup(globalConfig: Prepare.RunConfig): Promise<void> {
  const { prepareRun } = (await tsImport('./prepare.ts', import.meta.url)) as typeof Prepare;
  const host = await prepareRun(globalConfig, (line) => process.stderr.write(`testenv: ${line}\n`));
  Object.assign(globalThis, { hawserTestenvHost: host });
}
