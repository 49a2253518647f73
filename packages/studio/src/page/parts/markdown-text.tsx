import { useEffect, useRef } from 'preact/hooks'

const mostCharacters = 200_000
const mark = /[*_`#[\]|<>~]|^\s*(?:[-+]|\d+[.)])\s|https?:|\n/m

interface MarkdownTextProps {
  readonly text: string
  /** Whether the text is complete. Until then, it is shown as plain text. */
  readonly isComplete: boolean
}

/** A model's text. Words are added to one text node as they arrive; Markdown is rendered when the text is complete. */
export function MarkdownText({ text, isComplete }: MarkdownTextProps) {
  const isMarkdown = isComplete && text.length <= mostCharacters && mark.test(text)
  if (!isMarkdown) return <div class="words plain-words">{text}</div>
  return <Rendered key="markdown" text={text} />
}

function Rendered({ text }: { readonly text: string }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isCurrent = true
    const show = async () => {
      const { renderMarkdown } = await import('./markdown.js')
      if (isCurrent) element.current?.replaceChildren(renderMarkdown(text))
    }
    // Without the chunk, the text stays unchanged.
    if (element.current) element.current.textContent = text
    void show().catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [text])
  return <div ref={element} class="words" dir="auto" />
}
