import {expect, it} from 'vitest';
import {parseNodeList} from '../../../src/services/tunnel/node-list.js';

it('reads one node per line, with blanks in the adapter name', () => {
  expect(parseNodeList('# tunnels\nwin-1 Ethernet 2\r\n\nnode/win-2\tEthernet1\n', 'list')).toEqual([
    {node: 'win-1', adapter: 'Ethernet 2'},
    {node: 'win-2', adapter: 'Ethernet1'},
  ]);
});

it('reads a YAML map and a CSV file', () => {
  const entry = {node: 'win-1.example.com', adapter: 'Ethernet 2'};
  expect(parseNodeList('win-1.example.com: "Ethernet 2"', 'list')).toEqual([entry]);
  expect(parseNodeList('win-1.example.com,Ethernet 2', 'list')).toEqual([entry]);
  expect(parseNodeList("win-1.example.com = 'Ethernet 2'", 'list')).toEqual([entry]);
});

it('names the invalid line', () => {
  expect(() => parseNodeList('win-1 Ethernet0\nwin-2\n', 'list')).toThrow(
    'line 2 of list is not a node and an adapter: win-2.',
  );
});

it('rejects a duplicate node, and an empty list', () => {
  expect(() => parseNodeList('win-1 a\nwin-1 b', 'list')).toThrow('list names win-1 twice.');
  expect(() => parseNodeList('# nothing', 'list')).toThrow('list names no nodes.');
});
