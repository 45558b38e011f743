export { ageOf, humanDuration } from './human-duration.js';
export { type JsonPath, parseJsonPath } from './json-path.js';
export {
  CREATED_DESCRIPTION,
  type Cell,
  type PrintedTable,
  type PrinterColumn,
  type TableColumn,
  column,
  customTable,
  nameColumn,
} from './printed-table.js';
