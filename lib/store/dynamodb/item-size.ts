import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * The most that an item may have: 400 KB, attribute names included.
 * Source: Amazon DynamoDB Developer Guide, "Constraints in Amazon DynamoDB".
 */
export const MAX_ITEM_BYTES = 400 * 1024;

/**
 * The size of a flat item of strings, numbers and binaries as DynamoDB counts it: the UTF-8 bytes of
 * names and strings, the bytes of binaries, and for a number one byte for each two digits and one
 * more (rounded up here, as the guide says "approximately").
 * Source: Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats".
 */
export function itemBytes(item: Readonly<Record<string, AttributeValue | undefined>>): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += Buffer.byteLength(name) + valueBytes(value);
  }
  return bytes;
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 2;
  throw new TypeError('An item of this store holds only strings, numbers and binaries');
}
