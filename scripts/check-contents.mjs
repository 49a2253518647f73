// What a tarball of a public package contains, and what it must not.
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))

/** Unpacks a tarball into a folder of `work` and checks each of its files. */
export async function checkContents(tarball, work) {
  const unpacked = mkdtempSync(join(work, 'unpacked-'))
  await runIn(root, 'tar', ['-xzf', tarball, '-C', unpacked])
  const folder = join(unpacked, 'package')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const contents = { folder, files, manifest, read: (file) => readFileSync(join(folder, file), 'utf8') }
  const faults = [manifestFaults, exportFaults, fileFaults, licenceFaults, textFaults].flatMap((find) =>
    find(contents),
  )
  if (faults.length) throw new Error(`${tarball} is not fit to publish:\n${faults.join('\n')}`)
}

function manifestFaults({ manifest, read }) {
  const { name, repository, publishConfig, license } = manifest
  const internal = { ...manifest.dependencies, ...manifest.peerDependencies }
  const wrong = Object.entries(internal).filter(
    ([one, range]) => one.startsWith('@capstan/') && range !== `^${version}`,
  )
  return [
    ...(manifest.version === version
      ? []
      : [`its version is ${manifest.version}, that of core is ${version}`]),
    ...wrong.map(([one, range]) => `it asks for ${one} ${range}, not ^${version}`),
    ...(publishConfig?.access === 'public' ? [] : ['publishConfig.access is not public']),
    ...(existsSync(join(root, repository?.directory ?? 'missing', 'package.json'))
      ? []
      : [`repository.directory is not that of ${name}`]),
    ...(license === 'MIT' ? [] : [`its licence is ${license}`]),
    // What only exists in this repository.
    ...(/"development"|workspace:|catalog:/.test(read('package.json'))
      ? ['it names what only exists in the repository']
      : []),
  ]
}

/** Each file that the manifest names. */
function exportFaults({ manifest, files }) {
  const { main, module, types, exports = {}, bin = {}, typesVersions = {} } = manifest
  const named = stringsIn([main, module, types, exports, bin, typesVersions]).filter((one) =>
    one.startsWith('.'),
  )
  return named
    .map((one) => one.slice(2))
    .filter((one) => !files.includes(one))
    .map((one) => `it names ${one}, which is missing`)
}

function stringsIn(value) {
  if (typeof value === 'string') return [value]
  return Object.values(value ?? {}).flatMap(stringsIn)
}

/** Templates bring tests for their users; the packages themselves have none. */
function fileFaults({ files, read }) {
  const missing = ['LICENSE', 'README.md'].filter((file) => !files.includes(file) || !read(file).trim())
  const unwanted = files.filter(
    (file) =>
      !file.startsWith('templates/') &&
      /(^|\/)(test|tests|src)\/|\.test\.|\.tsbuildinfo$|\.env$|\.npmrc$/.test(file),
  )
  const local = [root, homedir()].filter((path) => path.length > 1)
  const withPath = files.filter((file) => local.some((path) => read(file).includes(`${path}/`)))
  return [
    ...missing.map((file) => `${file} is missing`),
    ...unwanted.map((file) => `${file} is of no use to a consumer`),
    ...withPath.map((file) => `${file} contains a path of this machine`),
  ]
}

/** Each package whose code is bundled, as source maps and esbuild's marks tell, is in the notice that is packed with it. */
function licenceFaults({ files, read }) {
  const mapped = files
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) => JSON.parse(read(file)).sources)
  const marked = files
    .filter((file) => /\.c?js$/.test(file))
    .flatMap((file) => read(file).match(/^\/\/ .*node_modules\/.*$/gm) ?? [])
  const names = [...mapped, ...marked].flatMap(
    (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
  )
  const notices = files
    .filter((file) => file.endsWith('THIRD-PARTY.md'))
    .map(read)
    .join('\n')
  return [...new Set(names)]
    .filter((name) => !notices.includes(`## ${name} `))
    .map((name) => `it bundles ${name} without its licence`)
}

/** The documentation for language models is that of the packed version. */
function textFaults({ manifest, files, read }) {
  if (manifest.name !== '@capstan/core') return []
  return ['llms.txt', 'llms-full.txt']
    .filter((file) => !files.includes(file) || !read(file).startsWith(`# Capstan ${version}\n`))
    .map((file) => `${file} is not of version ${version}`)
}
