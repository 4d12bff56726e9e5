import type { AttributeValue, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { epochSecondsText } from '../store/dynamodb/epoch-seconds.js';
import { RECORD_VERSION } from '../store/dynamodb/record-mapper.js';
import type { TableLayout } from '../store/dynamodb/table-layout.js';
import { RecordStatus } from '../store/idempotency-store.js';

/** Which records a scan is to bring. */
export interface ScanFilter {
  readonly status?: RecordStatus;
  /** Claims whose end is before this moment, clock skew taken off already; unreadable records too. */
  readonly expiredBeforeMs?: number;
}

/** What a list needs of a record: everything but the result, the error and the claim's token. */
const listed = [
  ...(['status', 'expiresAt', 'inProgressUntil', 'encoding', 'version', 'completedAt'] as const),
  ...(['fingerprint', 'resultOmitted'] as const),
];

/**
 * A scan whose conditions DynamoDB applies after reading: they save transfer, not read units. A
 * condition about an expired claim lets through whatever cannot be read for sure, so that a record
 * that blocks its key by being broken is found as well.
 */
export function scanRequest(
  TableName: string,
  layout: TableLayout,
  { status, expiredBeforeMs, keyPrefix }: ScanFilter & { readonly keyPrefix: string },
): ScanCommandInput {
  const names: Record<string, string> = { '#id': layout.idAttribute };
  const values: Record<string, AttributeValue> = {};
  for (const part of listed) names[`#${part}`] = layout.names[part];
  const projected = Object.keys(names);
  const conditions: string[] = [];
  if (keyPrefix !== '') {
    conditions.push('begins_with(#id, :prefix)');
    values[':prefix'] = { S: keyPrefix };
  }
  for (const [name, value] of Object.entries(layout.key(''))) {
    if (name === layout.idAttribute) continue;
    conditions.push('#fixed = :fixed');
    names['#fixed'] = name;
    values[':fixed'] = value;
  }
  if (status !== undefined) {
    conditions.push('#status = :status');
    values[':status'] = { S: status };
  }
  if (expiredBeforeMs !== undefined) {
    conditions.push(
      '((#status = :inprogress AND (#inProgressUntil < :before OR #expiresAt < :before' +
        ' OR (attribute_exists(#inProgressUntil) AND NOT attribute_type(#inProgressUntil, :number))' +
        ' OR (attribute_exists(#expiresAt) AND NOT attribute_type(#expiresAt, :number))))' +
        ' OR attribute_not_exists(#status) OR NOT (#status IN (:inprogress, :completed, :failed))' +
        ' OR (attribute_exists(#version) AND #version <> :version))',
    );
    values[':before'] = { N: epochSecondsText(expiredBeforeMs) };
    values[':number'] = { S: 'N' };
    values[':version'] = { N: String(RECORD_VERSION) };
    values[':inprogress'] = { S: RecordStatus.IN_PROGRESS };
    values[':completed'] = { S: RecordStatus.COMPLETED };
    values[':failed'] = { S: RecordStatus.FAILED };
  }
  return {
    TableName,
    ProjectionExpression: projected.join(', '),
    ExpressionAttributeNames: names,
    ...(conditions.length === 0 ? {} : { FilterExpression: conditions.join(' AND ') }),
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
  };
}
