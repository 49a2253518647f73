// Pages show what runs: a comment in front of each block of code or output names the file it is, or a region of
// it. `node scripts/sync-documents.mjs` writes the blocks anew from their files; a test finds any that differ.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Every page of the repository, by its path. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'SECURITY.md',
  join('examples', 'README.md'),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => !/(?:^|[\\/])node_modules[\\/]|^site[\\/]api[\\/]/.test(file))
    .map((file) => join('docs', file)),
  ...readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md')),
].filter((page) => page.endsWith('.md') && existsSync(join(root, page)))

/** A page's text with each fenced block as its file has it now; only `sh` blocks stand alone. */
export function synced(text) {
  const block = /(?:<!-- (\S+?)(?:#(\S+))? -->\n)?^([ \t]*)(`{3,}|~{3,})([^\n]*)\n[\s\S]*?^[ \t]*\4[ \t]*$/gm
  // A comment whose block is missing would leave a hole in the page.
  const [, lonely] = /^<!-- (\S+\.\w+(?:#\S+)?) -->\n(?!`{3})/m.exec(text) ?? []
  if (lonely !== undefined) throw new Error(`No block follows the comment ${lonely}`)
  return text.replace(block, (whole, file, region, indent, fence, language) => {
    if (language === 'sh') return whole
    if (file === undefined || indent !== '' || fence !== '```' || !/^\w+$/.test(language))
      throw new Error(`This block has no file in a comment before it, no language, or an indent:\n${whole}`)
    const name = region === undefined ? file : `${file}#${region}`
    return `<!-- ${name} -->\n\`\`\`${language}\n${read(file, region)}\n\`\`\``
  })
}

function read(file, region) {
  const text = readFileSync(join(root, file), 'utf8')
  // Readers of all of a file do not need the marks of its regions.
  if (region === undefined) return text.replaceAll(/^ *\/\/ #(?:end)?region\b.*\n/gm, '').trim()
  // Of an output, a region is the paragraph that begins with its name.
  if (file.endsWith('.txt')) {
    const paragraph = text.split(/\n{2,}/).find((one) => one.startsWith(`${region}: `))
    if (paragraph === undefined) throw new Error(`${file} has no paragraph ${region}`)
    return paragraph.trim()
  }
  const found = new RegExp(`// #region ${region}\\n([\\s\\S]*?)\\n *// #endregion`).exec(text)?.[1]
  if (found === undefined) throw new Error(`${file} has no region ${region}`)
  const [indent = ''] = /^ */.exec(found) ?? []
  return found.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const page of pages) bringUpToDate(page)

function bringUpToDate(page) {
  const path = join(root, page)
  const text = readFileSync(path, 'utf8')
  try {
    const now = synced(text)
    if (now === text) return
    writeFileSync(path, now)
    console.log(`${page} brought up to date`)
  } catch (error) {
    console.error(`${page}: ${error.message}`)
    process.exitCode = 1
  }
}
