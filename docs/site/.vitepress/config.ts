import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig, type MarkdownRenderer } from 'vitepress'
import { llmsFiles, siteAddress } from '../../../scripts/llms.mjs'
import {
  keepBraces,
  nameSwitch,
  plainEmptyHeaders,
  showSources,
  sizePictures,
  toSiteLinks,
  toSitePage,
} from './markdown.js'
import { sidebar } from './sidebar.js'

const base = new URL(siteAddress).pathname

export default defineConfig({
  title: 'Capstan',
  description: 'A tool-calling agent framework for TypeScript',
  lang: 'en',
  base,
  cleanUrls: true,
  srcDir: '..',
  srcExclude: ['site/node_modules/**', 'site/dist/**'],
  outDir: 'dist',
  rewrites: toSitePage,
  // A first view loads what it shows, and no page behind its links.
  router: { prefetchLinks: false },
  markdown: {
    image: { lazyLoading: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.use(toSiteLinks)
      md.use(showSources)
      md.use(keepBraces)
      md.use(plainEmptyHeaders)
      md.use(sizePictures)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Documentation', link: '/documentation' },
      { text: 'Studio', link: '/studio' },
      { text: 'API', link: '/reference/api/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      // The declarations of every package would outweigh the pages that explain them.
      options: {
        _render: (source, env, md) => (isApi(env) ? '' : renderPlain(md, source, env)),
      },
    },
    socialLinks: [{ icon: 'github', link: 'https://github.com/capstan-dev/capstan' }],
  },
  vite: {
    resolve: {
      // Pages are outside of this folder, where its packages are not found.
      alias: [
        { find: /^vue$/, replacement: fromVitePress('vue/dist/vue.runtime.esm-bundler.js') },
        { find: 'vue/server-renderer', replacement: fromVitePress('vue/server-renderer/index.mjs') },
      ],
    },
    // The index of the search is one file, loaded when the search is opened.
    ssr: { noExternal: true },
    // A picture in a script would be loaded before it is seen.
    build: { chunkSizeWarningLimit: 4_000, assetsInlineLimit: 0 },
  },
  transformHtml: nameSwitch,
  async buildEnd({ outDir }) {
    for (const [name, text] of Object.entries(llmsFiles())) await writeFile(join(outDir, name), text)
  },
})

/** Pages have the path of their file here, not their address. */
function isApi({ relativePath }: { readonly relativePath: string }): boolean {
  return relativePath.startsWith('site/api/')
}

/** Renders a page for its text alone. Colours of its code would cost as much as the page itself, in each of two bundles. */
function renderPlain(md: MarkdownRenderer, source: string, env: object): string {
  const { highlight } = md.options
  md.options.highlight = null
  try {
    return md.render(source, env)
  } finally {
    md.options.highlight = highlight
  }
}

function fromVitePress(file: string): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))
  const [name = '', ...path] = file.split('/')
  return join(dirname(resolve(`${name}/package.json`)), ...path)
}
