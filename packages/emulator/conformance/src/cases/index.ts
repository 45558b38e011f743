import type { Case } from '../case.js';
import { authorizationCases, rbacCases } from './access.js';
import { tokenCases } from './tokens.js';
import { reviewCases } from './reviews.js';
import { applyCases } from './apply.js';
import {
  eventCases,
  leaseCases,
  namespaceCases,
  secretCases,
  secretTypeCases,
  serviceAccountCases,
} from './builtins.js';
import { configMapCases } from './configmaps.js';
import { definitionCases } from './definitions.js';
import { controllerCases, deleteCases } from './deletes.js';
import { discoveryCases } from './discovery.js';
import { errorCases } from './errors.js';
import { expiryCases } from './expiry.js';
import { listCases } from './lists.js';
import { nameCases } from './names.js';
import { fidelityCases, outputCases } from './outputs.js';
import { patchCases } from './patches.js';
import { ruleCases } from './rules.js';
import { selectorCases } from './selectors.js';
import { validationCases } from './validation.js';
import { watchCases } from './watches.js';
import { conflictCases, dryRunCases, fieldValidationCases, subresourceCases } from './writes.js';

/** Every hand-written case. */
export const allCases: readonly Case[] = [
  ...namespaceCases,
  ...secretCases,
  ...secretTypeCases,
  ...configMapCases,
  ...serviceAccountCases,
  ...eventCases,
  ...leaseCases,
  ...nameCases,
  ...errorCases,
  ...fidelityCases,
  ...listCases,
  ...selectorCases,
  ...watchCases,
  ...expiryCases,
  ...conflictCases,
  ...patchCases,
  ...applyCases,
  ...deleteCases,
  ...controllerCases,
  ...dryRunCases,
  ...fieldValidationCases,
  ...definitionCases,
  ...validationCases,
  ...ruleCases,
  ...subresourceCases,
  ...outputCases,
  ...rbacCases,
  ...authorizationCases,
  ...reviewCases,
  ...tokenCases,
  ...discoveryCases,
];
