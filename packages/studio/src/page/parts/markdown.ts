import DOMPurify from 'dompurify'
import { Marked } from 'marked'

// This is a separate chunk. It is loaded for the first text that contains Markdown.

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // Shows HTML that a model wrote as text.
    html: ({ text }) => escapeHtml(text),
    // An image would cause a request to a foreign server, so it becomes a link.
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
})

const allowedTags =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong table tbody td th thead tr ul'

/** Renders untrusted Markdown. The result contains no scripts, styles or images, and causes no requests. */
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
  // Headings in a reply are below the page's own heading. No level is skipped.
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
