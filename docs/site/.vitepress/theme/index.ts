// Without the theme's fonts: those of the system are there at once. Its page for a missing page has no main landmark.
import { withBase } from 'vitepress'
import Theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'not-found': missingPage }),
}

function missingPage() {
  const home = h('a', { href: withBase('/') }, 'The first page')
  return h('main', { class: 'missing vp-doc' }, [
    h('h1', 'There is no such page'),
    h('p', ['It may have moved. ', home, ' and the search lead to all others.']),
  ])
}
