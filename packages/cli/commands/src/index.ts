export { type Settings, bindWishes, refused } from './bind-all.js';
export { bindCommand, connectionOf, portable, readBind, withProvider } from './bind.js';
export { bindingsCommand, readBindings } from './bindings.js';
export { printPlan } from './bind-print.js';
export { clientOf, userAgentOf } from './client-of.js';
export {
  type ConsumerCommand,
  consumerFlags,
  readCommandFlags,
  readTimeout,
  withConsumer,
} from './consumer-command.js';
export { askedAnyDialect, askedDialect, bindingDialectFlag, dialectFlag } from './consumer-dialect.js';
export { doctorCommand, readDoctor } from './doctor.js';
export {
  commandContext,
  explainContext,
  explainFlags,
  explaining,
  onCluster,
  readExplainFlags,
} from './explain-command.js';
export { type KonnectorDialect, konnectorDialect, kubeconfigNamespaces } from './konnector-dialect.js';
export { konnectorPlanCommand, readKonnectorPlan } from './konnector-plan.js';
export { konnectorWhyCommand, readKonnectorWhy } from './konnector-why.js';
export { migrateCommand, readMigrate } from './migrate.js';
export { moveCommand, readMove } from './move.js';
export { namespaceOf, objectNamed, unknownKind } from './named-object.js';
export { type Cell, type Output, ago, document, noColorFlag, outputs, paintOf, table } from './output.js';
export { ownConnection } from './own-connection.js';
export { printable, printableLine } from './printable.js';
export type { Network, ProcessContext } from './process-context.js';
export { inEachDialect } from './provider-dialects.js';
export { readAccount, serviceAccountFlag } from './service-account.js';
export type { Task, Terminal } from './task.js';
export { processTerminal } from './terminal.js';
export { readTree, treeCommand } from './tree.js';
export { readUnbind, unbindCommand } from './unbind.js';
export { gitVersion, reportedVersion } from './version.js';
export { readWhy, whyFlags } from './why-command.js';
export { type CoreKbindUninstall, uninstallCoreKbind } from './uninstall-core-kbind.js';
