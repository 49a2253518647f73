import DOMPurify from 'dompurify'
import { Marked } from 'marked'

// Its own chunk, loaded with the first text that has any Markdown.

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // Markup that a model wrote is shown unchanged.
    html: ({ text }) => escapeHtml(text),
    // An image of another server would be a request: it is a link.
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
})

const allowedTags =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul'

/** Renders Markdown as elements. The result has no scripts or styles, and makes no requests. */
export function renderMarkdown(text: string): DocumentFragment {
  const html = marked.parse(text, { async: false })
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: allowedTags.split(' '),
    ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noreferrer noopener'
  }
  // Headings of an answer stand below that of the page, and no level is omitted.
  let before = 1
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    before = Math.min(Number(heading.tagName[1]) + 1, before + 1, 6)
    const lower = document.createElement(`h${before}`)
    lower.append(...heading.childNodes)
    heading.replaceWith(lower)
  }
  for (const block of fragment.querySelectorAll('pre, table')) block.setAttribute('tabindex', '0')
  return fragment
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
