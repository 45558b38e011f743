import { resourceName } from '@hawser/client';
import type { Counter, Gauge, Labels, Metrics } from '@hawser/telemetry';
import type { InformerSpec } from './informer.js';

/** Metrics of all informers of one cluster. */
export interface InformerMetrics {
  readonly watchRestarts: Counter;
  readonly relists: Counter;
  readonly objects: Gauge;
  readonly handlerErrors: Counter;
  readonly lastHeard: Gauge;
}

export function createInformerMetrics(metrics: Metrics): InformerMetrics {
  const labels = ['cluster', 'resource'];
  return {
    watchRestarts: metrics.counter({
      name: 'hawser_informer_watch_restarts_total',
      help: 'Watches that ended, by reason: ended (by the server, in good order), silent, regressed, or the code of the error.',
      labels: [...labels, 'reason'],
    }),
    relists: metrics.counter({
      name: 'hawser_informer_relists_total',
      help: 'Lists after the first one, by reason.',
      labels: [...labels, 'reason'],
    }),
    objects: metrics.gauge({ name: 'hawser_informer_objects', help: 'Cached objects.', labels }),
    handlerErrors: metrics.counter({
      name: 'hawser_informer_handler_errors_total',
      help: 'Handlers and index functions that threw.',
      labels,
    }),
    lastHeard: metrics.gauge({
      name: 'hawser_informer_last_event_timestamp_seconds',
      help: 'When the server last sent an event, a bookmark or a page. The age is time() minus this.',
      labels,
    }),
  };
}

export function labelsOf(cluster: string, { resource }: InformerSpec): Labels {
  return { cluster, resource: resourceName(resource) };
}
