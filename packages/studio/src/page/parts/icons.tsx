const paths = {
  chat: 'M3 4h14v9H8l-4 4v-4H3z',
  runs: 'M4 5h12M4 10h8M4 15h10',
  tools: 'M12.5 3.5a4 4 0 0 0-4 5.5L3 14.5 5.5 17 11 11.5a4 4 0 0 0 5.5-4L14 10l-3-1-1-3z',
  artifacts: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.01',
  inbox: 'M3 11l3-7h8l3 7v5H3zM3 11h4l1 2h4l1-2h4',
  agent: 'M4 7h12v9H4zM10 7V4M7.5 11v1M12.5 11v1',
  attach: 'M14 8l-5 5a2 2 0 0 1-3-3l6-6a3.2 3.2 0 0 1 4.5 4.5l-6.5 6.5a5 5 0 0 1-7-7L8 3',
  send: 'M3 10l14-6-5 13-2.5-5.5z',
  stop: 'M6 6h8v8H6z',
  close: 'M5 5l10 10M15 5L5 15',
  theme: 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14',
  help: 'M7.5 7.5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.7M10 14.6v.1',
  pin: 'M7 3h6l-1 5 3 3H5l3-3zM10 11v6',
  again: 'M16 10a6 6 0 1 1-2-4.5M16 3v4h-4',
  settings: 'M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  download: 'M10 3v9M6 9l4 4 4-4M4 16h12',
  fork: 'M6 4v12M6 8c0 3 8 1 8 5v3M4 4h4M12 16h4',
  plus: 'M10 4v12M4 10h12',
} as const

export type IconName = keyof typeof paths

/** An icon. It is hidden from screen readers, so the button or link that contains it needs a name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
