import { bundledBytes } from './bundles.js';
import { barOf, exactly, type Row } from './row.js';

const BAR = 0.75;

export async function measure(): Promise<Row[]> {
  const sdk = await bundledBytes('SDK');
  return [
    rowOf(
      'core, bundled and minified',
      await bundledBytes('Powertools core'),
      await bundledBytes('mayfly core'),
    ),
    rowOf(
      `with the DynamoDB store, bundled, over the SDK's ${(sdk / 1000).toFixed(0)} KB`,
      (await bundledBytes('Powertools with its layer')) - sdk,
      (await bundledBytes('mayfly with its store')) - sdk,
    ),
  ];
}

function rowOf(what: string, powertools: number, mayfly: number): Row {
  const ratio = mayfly / powertools;
  return {
    what,
    unit: 'bytes',
    figures: { Powertools: exactly(powertools), mayfly: exactly(mayfly) },
    ratio: { to: 'Powertools', spread: exactly(ratio) },
    bar: barOf(ratio, { atMost: BAR }, 'of Powertools'),
  };
}
