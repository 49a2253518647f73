// The licences of bundled packages travel with the bundle: they ask for that.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the notice for a bundle made of these files: each package in it with its licence. */
export function licenceNotice(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    if (!licence) throw new Error(`${name} is bundled and has no licence to go with it`)
    return `## ${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`
  })
  return ['# Packages bundled here\n', ...texts].join('\n')
}
