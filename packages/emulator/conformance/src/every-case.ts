import type { Case } from './case.js';
import { allCases } from './cases/index.js';
import { generatedCases } from './generated/cases.js';

/** Cases that are written by hand, and sequences that are generated. */
export const everyCase: readonly Case[] = [...allCases, ...generatedCases];
