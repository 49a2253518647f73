import { readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

/** The groups and pages of `docs/README.md`, in its order, with the reference by TypeDoc. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, ...groups] = text.split(/^## /m)
  return [
    { text: 'Getting started', link: '/getting-started' },
    ...groups.filter(hasPages).map((group) => {
      const [title = ''] = group.split('\n')
      const links = [...group.matchAll(/^- \[([^\]]+)\]\(([^)]+)\.md\)/gm)]
      const items = links.map(([, name = '', page = '']) => ({ text: name, link: `/${page}` }))
      if (title === 'Reference') items.push({ text: 'API', link: '/reference/api/' })
      return { text: title, items }
    }),
  ]
}

/** Packages have their pages in the repository, not here. */
function hasPages(group: string): boolean {
  return /^- \[/m.test(group)
}
