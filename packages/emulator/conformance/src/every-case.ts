import type { Case } from './case.js';
import { allCases } from './cases/index.js';
import { generatedCases } from './generated/cases.js';

/** Hand-written cases and generated sequences. */
export const everyCase: readonly Case[] = [...allCases, ...generatedCases];
