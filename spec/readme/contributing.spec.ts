import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Markdown } from './markdown.js';
import { root } from './readme-program.js';

const contributing = new Markdown(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));

describe('CONTRIBUTING.md', () => {
  it('lists files and folders that exist', () => {
    const listed = listedPaths();

    expect(listed).to.have.length.above(20);
    expect(listed.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });

  it('lists every folder of lib', () => {
    expect(listedPaths()).to.include.members(foldersIn('lib'));
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...contributing.text.matchAll(/npm run ([\w:-]+)/gu)].map(([, name]) => name!);

    expect(named).to.have.length.above(5);
    expect(Object.keys(scripts)).to.include.members([...new Set(named)]);
  });

  it('names paths that exist', () => {
    const code = [...contributing.prose.matchAll(/`((?:lib|spec|\.ci)\/[\w./-]*)`/gu)];
    const paths = code.map(([, path]) => path!);

    expect(paths).to.have.length.above(3);
    expect(paths.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });
});

/** The paths of the tree, whose levels are indented by two spaces. */
function listedPaths(): readonly string[] {
  const tree = contributing.blocks.find(({ language }) => language === 'text');
  if (tree === undefined) throw new Error('There is no tree');
  const above: string[] = [];
  return tree.code
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, indent, name] = /^( *)(\S+)/u.exec(line)!;
      above.length = indent!.length / 2;
      above.push(name!);
      return above.join('');
    });
}

function foldersIn(folder: string): readonly string[] {
  return [
    `${folder}/`,
    ...readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => foldersIn(`${folder}/${name}`)),
  ];
}
