import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';

export type Item = Record<string, AttributeValue>;

/** The time of every claim in these specs: whole, so that both forms of it can be told. */
export const NOW_MS = 1_764_581_338_000;
const nowSeconds = NOW_MS / 1000;

const number = (value: number): AttributeValue => ({ N: String(value) });
const inAnHour = number(nowSeconds + 3600);
const anHourAgo = number(nowSeconds - 3600);

/** As the SDK returns it, so that items can be compared. */
function zipped(data: string | Buffer): Uint8Array {
  return Uint8Array.from(gzipSync(data));
}

/** 17 MB of nothing, in as many kilobytes: more than a result may have when it is unpacked. */
const bomb = zipped(Buffer.alloc(17 * 1024 * 1024));

/** Records as somebody may have written them. All but the last ones are sound. */
export const records: Readonly<Record<string, Item>> = {
  completed: {
    status: { S: 'COMPLETED' },
    expires_at: inAnHour,
    result: { S: '{"orderId":"o1"}' },
    claim_token: { S: 'somebody' },
    completed_at: number(nowSeconds - 1.5),
    v: number(1),
  },
  'completed without a result': { status: { S: 'COMPLETED' }, expires_at: inAnHour },
  'in progress': {
    status: { S: 'INPROGRESS' },
    expires_at: inAnHour,
    in_progress_until: number(nowSeconds + 60.25),
    claim_token: { S: 'somebody' },
    v: number(1),
  },
  'in progress and lapsed': {
    status: { S: 'INPROGRESS' },
    expires_at: inAnHour,
    in_progress_until: number(nowSeconds - 60.25),
    v: number(1),
  },
  expired: { status: { S: 'COMPLETED' }, expires_at: anHourAgo, result: { S: '1' } },
  failed: {
    status: { S: 'FAILED' },
    expires_at: inAnHour,
    error: { S: '{"name":"CardError","message":"declined","code":"card_declined"}' },
    v: number(1),
  },
  'of the Elixir package': {
    status: { S: 'COMPLETED' },
    expires_at: inAnHour,
    result: { S: '{"status":"placed"}' },
  },
  'in progress, of the Elixir package': { status: { S: 'INPROGRESS' }, expires_at: inAnHour },
  'a ttl in milliseconds': {
    status: { S: 'COMPLETED' },
    expires_at: number(NOW_MS + 3_600_000),
    result: { S: '"kept"' },
  },
  'a claim in milliseconds': { status: { S: 'INPROGRESS' }, expires_at: number(NOW_MS) },
  zipped: {
    status: { S: 'COMPLETED' },
    expires_at: inAnHour,
    encoding: { S: 'json+gzip' },
    result: { B: zipped('"zipped"') },
  },
  'a gzip bomb': {
    status: { S: 'COMPLETED' },
    expires_at: inAnHour,
    encoding: { S: 'json+gzip' },
    result: { B: bomb },
  },
  'gzip that is none': {
    status: { S: 'COMPLETED' },
    expires_at: inAnHour,
    encoding: { S: 'json+gzip' },
    result: { B: new TextEncoder().encode('no gzip') },
  },
  'corrupt JSON': { status: { S: 'COMPLETED' }, expires_at: inAnHour, result: { S: '{"a":' } },
  'another status': { status: { S: 'DONE' }, expires_at: inAnHour },
  'another version': { status: { S: 'COMPLETED' }, expires_at: inAnHour, v: number(2) },
  empty: {},
};

const attributes = [
  ...['status', 'expires_at', 'in_progress_until', 'result', 'encoding', 'claim_token', 'v'],
  ...['completed_at', 'fingerprint', 'error', 'result_omitted'],
];

const text = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constantFrom('COMPLETED', 'INPROGRESS', 'FAILED', 'completed', 'json', 'json+gzip', '+gzip'),
  fc.constantFrom('too-large', 'not-encodable', '{"name":"E","message":"m"}', '{"name":1}', 'null'),
);
const numbers = fc
  .oneof(
    fc.integer(),
    fc.constantFrom(
      0,
      1,
      2,
      1.5,
      NOW_MS,
      nowSeconds,
      nowSeconds + 60,
      nowSeconds - 60,
      NOW_MS * 1000,
    ),
    fc.constantFrom(-1e125, 1e125, 1e-130, 9.999e37),
  )
  .map(number);

const attribute: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 3, arbitrary: text.map((S) => ({ S })) },
  { weight: 3, arbitrary: numbers },
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((B) => ({ B })),
  fc.constant<AttributeValue>({ NULL: true }),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ L: [{ S: 'COMPLETED' }] }),
  fc.constant<AttributeValue>({ M: { S: { S: 'COMPLETED' } } }),
  fc.constant<AttributeValue>({ SS: ['COMPLETED'] }),
  fc.constant<AttributeValue>({ NS: ['1', '2'] }),
);

/** A record with attributes of wrong types, of wrong values or missing, by what it began as. */
export interface DamagedRecord {
  readonly began: string;
  readonly set: Readonly<Record<string, AttributeValue>>;
  readonly removed: readonly string[];
}

export const damagedRecords: fc.Arbitrary<DamagedRecord> = fc.record({
  // A bomb takes its time; the examples have it.
  began: fc.constantFrom(...Object.keys(records).filter((name) => name !== 'a gzip bomb')),
  set: fc.dictionary(fc.constantFrom(...attributes), attribute, { maxKeys: 3 }),
  removed: fc.subarray(attributes, { maxLength: 2 }),
});

export function itemOf({ began, set, removed }: DamagedRecord, id: string): Item {
  const item: Item = { ...records[began], ...set };
  for (const name of removed) Reflect.deleteProperty(item, name);
  return { ...item, id: { S: id } };
}

export const undamaged: readonly DamagedRecord[] = Object.keys(records).map((began) => ({
  began,
  set: {},
  removed: [],
}));

/** Whether DynamoDB's comparisons let a claim at {@link NOW_MS} through: the rule as the README has it. */
export function isClaimable(
  { status, expires_at, in_progress_until }: Item,
  skewMs: number,
): boolean {
  const now = (NOW_MS - skewMs) / 1000;
  const before = (value: AttributeValue | undefined): boolean =>
    value?.N !== undefined && Number(value.N) < now;
  return before(expires_at) || (status?.S === 'INPROGRESS' && before(in_progress_until));
}
