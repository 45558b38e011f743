import { CREATED_DESCRIPTION, type PrintedTable, column, nameColumn } from '@hawser/table';
import { metaOf } from '../object/meta.js';

export { column, nameColumn };
export const ageColumn = column('Age', { description: CREATED_DESCRIPTION });

/** For types without their own columns. */
export const defaultTable: PrintedTable = {
  columns: [nameColumn, column('Created At', { type: 'date', description: CREATED_DESCRIPTION })],
  cells: (object) => [metaOf(object).name ?? '', metaOf(object).creationTimestamp ?? ''],
};
