import type { IdempotencyEvent } from '../../../lib/index.js';

/**
 * Turns events into metrics by CloudWatch's embedded metric format: one line of JSON on standard
 * output per event, which CloudWatch Logs makes into metrics without an API call. Ids and tokens are
 * left out: a dimension per key would be a metric per key.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * @example
 * ```ts
 * observeIdempotency(emfMetrics((line) => console.log(line)));
 * ```
 */
export function emfMetrics(
  write: (line: string) => void,
  now: () => number = Date.now,
): (event: IdempotencyEvent) => void {
  return ({ type, method, durationMs }) => {
    const line = {
      _aws: {
        Timestamp: now(),
        CloudWatchMetrics: [
          {
            Namespace: 'Idempotency',
            Dimensions: [['method', 'type']],
            Metrics: [
              { Name: 'events', Unit: 'Count' },
              { Name: 'duration', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      method,
      type,
      events: 1,
      duration: durationMs,
    };
    write(JSON.stringify(line));
  };
}
