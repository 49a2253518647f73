import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { HttpError } from '@capstan/http/parts'

/**
 * Returns one of the built page's files. For a path without a file extension, returns `index.html`, because the page
 * itself handles such paths.
 * @throws HttpError 404 if there is no such file, 500 if the page has not been built
 */
export async function staticFile(folder: string, pathname: string): Promise<Response> {
  const isPage = extname(pathname) === ''
  const name = isPage ? 'index.html' : pathname.slice(1)
  const type = types[extname(name)]
  if (type === undefined || !safeName.test(name)) throw notFound()
  const bytes = await readFile(join(folder, name)).catch(() => undefined)
  if (bytes === undefined) {
    if (isPage)
      throw new HttpError(500, 'no_page', `The page has not been built: ${folder} contains no index.html.`)
    throw notFound()
  }
  const caching = name.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-store'
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type, 'cache-control': caching } })
}

/** Matches the path of a file in the page's folder, at most one folder deep. */
const safeName = /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

function notFound(): HttpError {
  return new HttpError(404, 'not_found', 'There is no such file.')
}

// CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
const here = import.meta.url ?? pathToFileURL(__filename).href

/** Returns the folder of the built page: next to the built code, or `dist/page` if the studio runs from source. */
export function pageFolder(): string {
  const [built = '', beside = ''] = ['./page/', '../../dist/page/'].map((path) =>
    fileURLToPath(new URL(path, here)),
  )
  return existsSync(join(built, 'index.html')) && !built.includes(join('src', 'page')) ? built : beside
}
