/*
 * Which file of dist/ a module goes into. What one entry alone reaches is in that entry's file; what
 * several reach is in chunks that they share: few, since each is one more file to open at start.
 */
import { transform } from 'esbuild';
import { program } from './entries.mjs';

/**
 * A file's two formats lie side by side in the tarball, and gzip looks back 32 KB: a longer file has
 * its other format out of sight, and takes twice the room.
 */
const MAX_BODY_BYTES = 29_500;

/** The chunks for rollup's `manualChunks`, from what it knows at the end of `rollup()`. */
export function planChunks(input) {
  const chunks = new Map();

  return {
    plugin: {
      name: 'plan-chunks',
      async buildEnd(error) {
        if (error !== undefined) return;
        const groups = new Map();
        for (const [id, entries] of entriesReaching(Object.entries(input), this)) {
          const group = groupOf(entries);
          groups.set(group, [...(groups.get(group) ?? []), id]);
        }
        for (const [group, ids] of groups) {
          const parts = await inParts(ids, (id) => this.getModuleInfo(id).code);
          parts.forEach((part, i) => {
            // The last part keeps the name: an entry is imported by none of its modules.
            const name = i === parts.length - 1 ? group : `${group}-${String(i + 1)}`;
            for (const id of part) chunks.set(id, name);
          });
        }
      },
    },
    chunkOf: (id) => chunks.get(id),
    chunkNames: () => [...new Set(chunks.values())].filter((name) => !(name in input)).sort(),
  };
}

/**
 * Each module with the entries that reach it, those that most entries reach first: a module comes
 * after all that it imports, and what only one or two entries need is together, at the end.
 */
function entriesReaching(entries, { getModuleInfo }) {
  const found = new Map();
  for (const [name, entry] of entries) {
    const visited = new Set();
    const visit = (id) => {
      if (visited.has(id)) return;
      visited.add(id);
      const { isExternal, importedIds } = getModuleInfo(id);
      if (isExternal) return;
      importedIds.forEach(visit);
      found.set(id, [...(found.get(id) ?? []), name]);
    };
    visit(entry);
  }
  return [...found].sort(([, a], [, b]) => b.length - a.length);
}

function groupOf(entries) {
  if (entries.length === 1) return entries[0];
  const libraries = entries.filter((name) => name !== program.name);
  return libraries.length === 1 ? `${libraries[0]}-shared` : 'shared';
}

/** Cuts a list of modules into as many parts of about one size as keep each below the limit. */
async function inParts(ids, codeOf) {
  const sizes = await Promise.all(ids.map((id) => bodyBytes(codeOf(id))));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const count = Math.ceil(total / MAX_BODY_BYTES);
  const parts = Array.from({ length: count }, () => []);
  let before = 0;
  ids.forEach((id, i) => {
    parts[Math.min(count - 1, Math.floor((before / total) * count))].push(id);
    before += sizes[i];
  });
  return parts;
}

/** Without imports: most of them are gone when the module is in a bundle. */
async function bodyBytes(source) {
  const { code } = await transform(source, { minify: true });
  return code.replaceAll(/\bimport[{"][^;]*;/g, '').length;
}
