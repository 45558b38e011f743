import { type Dialect, apiGroup } from '@hawser/kube-bind';

import type { PlannedWrite } from './preview-client.js';
import type { BindingReport, ResourceReport } from './report.js';

/**
 * A report whose writes name resources as on the wire: the clients speak the terms of kube-bind, whatever the dialect.
 */
export function onTheWire(report: BindingReport, { resources }: Dialect): BindingReport {
  const kinds = Object.values(resources);
  const named = (write: PlannedWrite): PlannedWrite => {
    const kind =
      write.resource.group === apiGroup
        ? kinds.find(({ resource }) => resource === write.resource.resource)
        : undefined;
    return kind === undefined ? write : { ...write, resource: kind };
  };
  const ofResource = (resource: ResourceReport): ResourceReport => ({
    ...resource,
    objects: resource.objects.map((object) => ({ ...object, writes: object.writes.map(named) })),
  });
  return {
    ...report,
    resources: report.resources.map(ofResource),
    claimed: report.claimed.map(ofResource),
    writes: report.writes.map(named),
  };
}
