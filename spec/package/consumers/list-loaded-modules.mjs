/*
 * Preloaded with --import: writes the address of each module that the program resolves, CommonJS or
 * not, to standard error.
 */
import { register, Module } from 'node:module';

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (...args) {
  const file = resolveFilename.apply(this, args);
  process._rawDebug(`loaded ${file}`);
  return file;
};

const hooks = `export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  process._rawDebug('loaded ' + resolved.url);
  return resolved;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
