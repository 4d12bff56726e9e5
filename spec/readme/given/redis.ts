import { ScriptedNodeRedis } from '../../store/redis/scripted-client.js';

/** In the place of node-redis, which would need a server: a client that is asked nothing. */
class UnaskedClient extends ScriptedNodeRedis {
  on(): this {
    return this;
  }

  connect(): Promise<this> {
    return Promise.resolve(this);
  }
}

export function createClient(): UnaskedClient {
  return new UnaskedClient();
}
