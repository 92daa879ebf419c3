import {describe, expect, it} from 'vitest';
import {powerShellText, shellText} from '../../src/lib/quote.js';
import {cleanupRemedy} from '../../src/model/remedies.js';

describe('a name in a command', () => {
  it('stays one word in a shell, without quotes if possible', () => {
    expect(shellText('win-1.example.com')).toBe('win-1.example.com');
    expect(shellText('a b; rm -rf ~')).toBe("'a b; rm -rf ~'");
    expect(shellText("it's")).toBe("'it'\\''s'");
    expect(shellText('')).toBe("''");
  });

  it('stays one string in PowerShell, also with typographic quotes', () => {
    expect(powerShellText("O'Neill")).toBe("'O''Neill'");
    expect(powerShellText('x\u2019; Stop-Computer')).toBe("'x\u2019\u2019; Stop-Computer'");
    expect(powerShellText('$(whoami)')).toBe("'$(whoami)'");
  });

  it('cannot start a new line', () => {
    expect(shellText('a\nb')).toBe("'a b'");
    expect(powerShellText('a\r\nb')).toBe("'a  b'");
    expect(cleanupRemedy({name: 'x\nreboot'})).toMatchObject({command: "kubectl win cleanup 'x reboot'"});
  });
});
