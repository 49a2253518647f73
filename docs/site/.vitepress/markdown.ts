import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const docs = join(root, 'docs')
const repository = 'https://github.com/capstan-dev/capstan/blob/main'

/**
 * Turns links between files into addresses. A page of the documentation gets its address on the site, any other file
 * of the repository its address there. The pages stay readable as files.
 */
export function toSiteLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    const folder = dirname(env.realPath ?? env.path)
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href && !/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) token.attrSet('href', toAddress(href, folder))
      }
  })
}

function toAddress(href: string, folder: string): string {
  const [path = '', anchor] = href.split('#')
  const file = resolve(folder, decodeURI(path))
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = relative(docs, file)
  // A link that leads nowhere stays as it is, and the build names it.
  if (!existsSync(file)) return href
  if (page.startsWith('..') || !page.endsWith('.md')) return `${repository}/${relative(root, file)}${hash}`
  return `/${toSitePage(page).replace(/(?:index)?\.md$/, '')}${hash}`
}

/** The file of a page on the site, from that of the documentation. */
export function toSitePage(page: string): string {
  return page
    .replace(/^README\.md$/, 'documentation.md')
    .replace(/^site\/index\.md$/, 'index.md')
    .replace(/^site\/api\//, 'reference/api/')
    .replace(/^(reference\/api\/.*)README\.md$/, '$1index.md')
}

/** Shows above a block of code which file it is: the comment in front of it, as a link. */
export function showSources(md: MarkdownRenderer): void {
  const plain = md.renderer.rules.html_block
  md.renderer.rules.html_block = (tokens, at, options, env, self) => {
    const [, file] =
      /^<!-- ((?:examples|packages|test|docs)\/[^\s#]+)\S* -->\s*$/.exec(tokens[at]?.content ?? '') ?? []
    if (file === undefined || file.startsWith('examples/expected/'))
      return plain?.(tokens, at, options, env, self) ?? ''
    return `<p class="source"><a href="${repository}/${file}" target="_blank" rel="noreferrer">${file}</a></p>\n`
  }
}

/** Keeps braces as they are: pages are templates of Vue, but none of ours has expressions. */
export function keepBraces(md: MarkdownRenderer): void {
  for (const rule of ['text', 'code_inline'] as const) {
    const plain = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...rendered) => (plain?.(...rendered) ?? '').replaceAll('{{', '&#123;&#123;')
  }
}

/** Makes an empty header of a table a plain cell: it is the header of nothing. */
export function plainEmptyHeaders(md: MarkdownRenderer): void {
  md.core.ruler.push('plain-empty-headers', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[at + 1]?.content !== '') continue
      for (const edge of [token, tokens[at + 2]]) if (edge) edge.tag = 'td'
    }
  })
}

/** Gives each picture of the repository its width and height, so that nothing jumps when it arrives. */
export function sizePictures(md: MarkdownRenderer): void {
  md.core.ruler.push('size-pictures', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const src = token.type === 'image' ? token.attrGet('src') : null
        const [ending] = /\.(?:webp|svg)$/.exec(src ?? '') ?? []
        if (src === null || ending === undefined) continue
        const file = readFileSync(resolve(dirname(env.realPath ?? env.path), src))
        const { width, height } = ending === '.svg' ? sizeOfSvg(file.toString()) : sizeOfWebP(file)
        token.attrSet('width', String(width))
        token.attrSet('height', String(height))
      }
  })
}

function sizeOfSvg(text: string): { readonly width: number; readonly height: number } {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? []
  return { width: Number(width), height: Number(height) }
}

/** The size in the first chunk of a WebP file: lossy, lossless, or with metadata. */
function sizeOfWebP(file: Buffer): { readonly width: number; readonly height: number } {
  const kind = file.toString('latin1', 12, 16)
  if (kind === 'VP8 ')
    return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  const bits = file.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

/** Names the switch of the theme, which has no name before scripts run. */
export function nameSwitch(html: string): string {
  return html.replace(
    /(<button class="VPSwitch VPSwitchAppearance"[^>]*) title(?=[ >])/g,
    '$1 title="Switch to dark theme"',
  )
}
