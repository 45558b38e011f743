import type { Metrics } from '@hawser/telemetry';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What a client counts. Without a label for the resource: the series of many clusters would be too many. */
export interface ClientMetrics {
  /** One HTTP exchange: each retry counts. `code`: the HTTP status, or the ApiErrorCode where there was no answer. */
  exchanged(verb: string, code: string, seconds: number): void;
  inFlight(count: number): void;
  openWatches(count: number): void;
  /** Forgets the gauges of this client. */
  close(): void;
}

export function clientMetrics(metrics: Metrics, cluster: string): ClientMetrics {
  const total = metrics.counter({ name: 'hawser_client_requests_total', help: 'HTTP requests to the API server, retries included.', labels: ['cluster', 'verb', 'code'] });
  const duration = metrics.histogram({
    name: 'hawser_client_request_duration_seconds',
    help: 'Time from sending a request to its whole answer; of a watch, to its start.',
    labels: ['cluster', 'verb'],
    buckets: BUCKETS,
  });
  const inFlight = metrics.gauge({ name: 'hawser_client_requests_in_flight', help: 'Requests that wait for an answer, watches apart.', labels: ['cluster'] });
  const watches = metrics.gauge({ name: 'hawser_client_watches', help: 'Watches that are open.', labels: ['cluster'] });
  return {
    exchanged(verb, code, seconds) {
      total.inc({ cluster, verb, code });
      duration.observe(seconds, { cluster, verb });
    },
    inFlight: (count) => { inFlight.set(count, { cluster }); },
    openWatches: (count) => { watches.set(count, { cluster }); },
    close() {
      inFlight.remove({ cluster });
      watches.remove({ cluster });
    },
  };
}
