import { expect, it } from '@jest/globals';
import { iconOf } from './icon.js';

const template = (icon: string) => ({ metadata: { name: 'x', annotations: { 'catalogue.hawser.dev/icon': icon } } });

it.each([
  ['a picture', 'data:image/png;base64,iVBORw0KGgo=', true],
  ['a drawing, which can hold scripts', 'data:image/svg+xml;base64,PHN2Zy8+', false],
  ['a page', 'data:text/html;base64,PHN2Zy8+', false],
  ['an address', 'https://example.com/icon.png', false],
  ['a header of its own', 'data:image/png\r\nx: y;base64,AAAA', false],
  ['one that is too large', `data:image/png;base64,${'A'.repeat(100_000)}`, false],
  ['none', '', false],
])('shows of %s what is a picture', (_, icon, shown) => {
  expect(iconOf(template(icon)) !== undefined).toBe(shown);
});
