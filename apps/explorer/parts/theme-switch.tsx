import { useEffect, useState } from 'react';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'fresnel-theme';

/** Follows the system, or is always light or dark. The browser remembers it. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    if (theme === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme);
    rememberTheme(theme);
  }, [theme]);
  return (
    <button
      type="button"
      className="theme secondary outline"
      onClick={() => {
        setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
      }}
    >
      Theme: {theme}
    </button>
  );
}

/** A browser may forbid storage. */
function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function rememberTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme then holds until the page is closed.
  }
}
