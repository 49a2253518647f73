// The licences of bundled packages travel with the bundle: they ask for that.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A plugin of esbuild that writes the licences of what it bundles to dist/THIRD-PARTY.md. */
export function thirdPartyLicences() {
  return {
    name: 'third-party-licences',
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(({ metafile }) => {
        mkdirSync('dist', { recursive: true })
        writeFileSync('dist/THIRD-PARTY.md', licenceNotice(Object.keys(metafile?.inputs ?? {})))
      })
    },
  }
}

/** Returns the notice for a bundle made of these files: each package in it with its licence. */
export function licenceNotice(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `## ${name} ${version}\n\n${readFileSync(licenceOf(name, folder), 'utf8').trim()}\n`
  })
  return ['# Packages bundled here\n', ...texts].join('\n')
}

/** The file in the package, or the one of its repository that is kept here: some packages leave it out. */
function licenceOf(name, folder) {
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  if (file) return join(folder, file)
  const kept = new URL(`licences/${name.replace(/^@/, '').replace('/', '-')}.txt`, import.meta.url)
  if (!existsSync(kept)) throw new Error(`${name} is bundled and has no licence to go with it`)
  return kept
}
