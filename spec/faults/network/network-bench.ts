import { GetItemCommand, PutItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { createIdempotencyTable } from '../../../lib/store/dynamodb/index.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { CuttingProxy } from './cutting-proxy.js';
import type { Item } from './legal-item.js';
import { Scene, type SceneOptions } from './scene.js';

interface Running {
  readonly engine: Engine;
  readonly proxy: CuttingProxy;
  /** A client without faults: the spec's own view of the table. */
  readonly client: DynamoDBClient;
}

/** One engine with one table, and scenes on it that know nothing of each other. */
export class NetworkBench {
  readonly table = freshTableName();
  #running: Running | undefined;
  #scenes = 0;

  /** Registers the engine's start and stop in the enclosing suite. */
  runs(start: () => Promise<Engine>): this {
    const run = async (): Promise<void> => {
      const engine = await start();
      const proxy = await CuttingProxy.to(Number(new URL(engine.endpoint).port));
      const client = clientOf(engine.endpoint);
      await createIdempotencyTable({ table: this.table, client });
      this.#running = { engine, proxy, client };
    };
    before('start the engine and the way to it', async function () {
      this.timeout(120_000); // The first start fetches the engine.
      await run();
    });
    after('stop them', async () => {
      this.#running?.client.destroy();
      await this.#running?.engine.stop();
      await this.#running?.proxy.close();
    });
    return this;
  }

  get running(): Running {
    if (this.#running === undefined) throw new Error('The engine is not running');
    return this.#running;
  }

  /** A key that no other scene uses, on a network without faults so far. */
  async scene(options: SceneOptions = {}): Promise<Scene> {
    this.#scenes += 1;
    return Scene.on(this, `order-${String(this.#scenes)}`, options);
  }

  /** Another process with the key of `scene`: its clock shows the same time, and is its own. */
  async otherProcess(scene: Scene, options: SceneOptions = {}): Promise<Scene> {
    const other = await Scene.on(this, scene.key, options);
    await other.pass(scene.clock.now() - other.clock.now());
    return other;
  }

  async item(id: string): Promise<Item | undefined> {
    const { Item } = await this.running.client.send(
      new GetItemCommand({ TableName: this.table, Key: marshall({ id }), ConsistentRead: true }),
    );
    return Item === undefined ? undefined : unmarshall(Item);
  }

  async put(item: Item): Promise<void> {
    await this.running.client.send(
      new PutItemCommand({ TableName: this.table, Item: marshall(item) }),
    );
  }
}
