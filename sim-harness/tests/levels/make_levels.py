"""Writes the example levels of docs/levels, with other libraries than the reader's."""
import base64, gzip, json, struct, sys, zlib, pathlib
import numpy as np
out = pathlib.Path(sys.argv[1])
# A small castle: # wall, . ground, ~ mud, S start, G goal, B bridge (a mark).
rows = """
########################
#S.....#.......#.......#
#......#.......#.......#
#......#..###..#..~~~..#
#.........#.#.....~~~..#
#......#..###..#..~~~..#
#......#.......#..~~~..#
###.########.#####~~~###
#.......#..............#
#.......#.......#......#
#..###..#...B...#......#
#..#.#......#...#..##..#
#..###..#...#......##..#
#.......#.......#.....G#
#.......#.......#......#
########################
""".split()
h, w = len(rows), len(rows[0])
assert all(len(r) == w for r in rows)
wall = [[c == '#' for c in r] for r in rows]
mud = [[c == '~' for c in r] for r in rows]
spot = {c: (x, y) for y, r in enumerate(rows) for x, c in enumerate(r) if c in 'SGB'}
T = 16

# Tiled: terrain tiles 1 grass, 2 wall (property), 3 mud (property speed).
gids = [[2 if wall[y][x] else 3 if mud[y][x] else 1 for x in range(w)] for y in range(h)]
raw = b''.join(struct.pack('<I', g) for r in gids for g in r)
tiles = ''' <tileset firstgid="1" name="castle" tilewidth="16" tileheight="16" tilecount="3" columns="3">
  <image source="castle.png" width="48" height="16"/>
  <tile id="1"><properties><property name="wall" type="bool" value="true"/></properties></tile>
  <tile id="2"><properties><property name="speed" type="float" value="0.5"/></properties></tile>
 </tileset>
'''
def objects(T):
    o = [('start', '', 'S'), ('goal', '', 'G'), ('mark', 'bridge', 'B')]
    return ''.join(f'  <object id="{i}" name="{n}" type="{c}" x="{(spot[k][0]+.5)*T:g}" y="{(spot[k][1]+.5)*T:g}"><point/></object>\n'
                   for i, (c, n, k) in enumerate(o, 1))
head = f'<map version="1.10" tiledversion="1.11.0" orientation="orthogonal" renderorder="right-down" width="{w}" height="{h}" tilewidth="16" tileheight="16" infinite="0" nextlayerid="3" nextobjectid="4">\n'
def tmx(data, attrs):
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{tiles} <layer id="1" name="ground" width="{w}" height="{h}">\n  <data {attrs}>{data}</data>\n </layer>\n <objectgroup id="2" name="places">\n{objects(T)} </objectgroup>\n</map>\n'
(out/'castle.tmx').write_text(tmx('\n'+',\n'.join(','.join(map(str, r)) for r in gids)+'\n', 'encoding="csv"'))

# The same as JSON: infinite, in chunks, packed with zlib, walls by the name of a layer, mud by a rectangle.
chunks = []
for cy in range(0, h, 16):
    for cx in range(0, w, 16):
        c = [wall[y][x] and 1 or 0 if y < h and x < w else 0 for y in range(cy, cy+16) for x in range(cx, cx+16)]
        chunks.append(dict(x=cx-32, y=cy-16, width=16, height=16, data=base64.b64encode(zlib.compress(b''.join(struct.pack('<I', v) for v in c))).decode()))
mx = [x for y in range(h) for x in range(w) if mud[y][x]]; my = [y for y in range(h) for x in range(w) if mud[y][x]]
obj = lambda i, cls, name, k: dict(id=i, name=name, type=cls, x=(spot[k][0]+.5-32)*T, y=(spot[k][1]+.5-16)*T, width=0, height=0, rotation=0, point=True, visible=True)
json.dump(dict(type='map', version='1.10', orientation='orthogonal', renderorder='right-down', infinite=True, width=32, height=16, tilewidth=T, tileheight=T,
  tilesets=[dict(firstgid=1, name='t', tilewidth=T, tileheight=T, tilecount=1, columns=1, image='t.png', imagewidth=T, imageheight=T)],
  layers=[dict(type='tilelayer', id=1, name='Collision', encoding='base64', compression='zlib', x=0, y=0, startx=-32, starty=-16, width=32, height=16, opacity=1, visible=True, chunks=chunks),
    dict(type='objectgroup', id=2, name='mud', draworder='topdown', x=0, y=0, opacity=1, visible=True, properties=[dict(name='speed', type='float', value=0.5)],
      objects=[dict(id=9, name='', type='', x=(min(mx)-32)*T, y=(min(my)-16)*T, width=(max(mx)-min(mx)+1)*T, height=(max(my)-min(my)+1)*T, rotation=0, visible=True)]),
    dict(type='group', id=3, name='all', opacity=1, visible=True, x=0, y=0, layers=[dict(type='objectgroup', id=4, name='places', draworder='topdown', x=0, y=0, opacity=1, visible=True,
      objects=[obj(1,'start','','S'), obj(2,'goal','','G'), obj(3,'mark','bridge','B')])])]), open(out/'castle.tmj', 'w'))

# LDtk 1.5
ids = lambda k, name: dict(__identifier=name, __grid=list(spot[k]), __pivot=[0,0], __tags=[], __tile=None, iid=name+'-1', width=T, height=T, defUid=5, px=[spot[k][0]*T, spot[k][1]*T], fieldInstances=[dict(__identifier='name', __type='String', __value='bridge', defUid=6)] if name=='Mark' else [])
layer = lambda ident, typ, uid, **kw: dict(dict(__identifier=ident, __type=typ, __cWid=w, __cHei=h, __gridSize=T, __opacity=1, __pxTotalOffsetX=0, __pxTotalOffsetY=0, __tilesetDefUid=None, __tilesetRelPath=None, iid=ident, levelId=0, layerDefUid=uid, pxOffsetX=0, pxOffsetY=0, visible=True, optionalRules=[], intGridCsv=[], autoLayerTiles=[], seed=1, overrideTilesetUid=None, gridTiles=[], entityInstances=[]), **kw)
json.dump(dict(__header__=dict(fileType='LDtk Project JSON', app='LDtk', appVersion='1.5.3'), jsonVersion='1.5.3', worldLayout='Free', externalLevels=False,
  defs=dict(layers=[dict(identifier='Ground', type='IntGrid', uid=1, gridSize=T, intGridValues=[dict(value=1, identifier='wall', color='#000000'), dict(value=2, identifier='speed_50', color='#885522')]),
                    dict(identifier='Places', type='Entities', uid=2, gridSize=T, intGridValues=[])], entities=[], tilesets=[], enums=[], externalEnums=[], levelFields=[]),
  levels=[dict(identifier='Castle', iid='l', uid=0, worldX=0, worldY=0, worldDepth=0, pxWid=w*T, pxHei=h*T, externalRelPath=None, fieldInstances=[],
    layerInstances=[layer('Places', 'Entities', 2, entityInstances=[ids('S','Start'), ids('G','Goal'), ids('B','Mark')]),
                    layer('Ground', 'IntGrid', 1, intGridCsv=[1 if wall[y][x] else 2 if mud[y][x] else 0 for y in range(h) for x in range(w)])])], worlds=[], toc=[]), open(out/'castle.ldtk', 'w'))

# MagicaVoxel: floor at z = 0, walls three voxels high; start, goal and mark are models of one voxel.
def chunk(i, content, children=b''): return i + struct.pack('<II', len(content), len(children)) + content + children
def text(s): b = s.encode(); return struct.pack('<I', len(b)) + b
def attrs(d): return struct.pack('<I', len(d)) + b''.join(text(k)+text(v) for k, v in d.items())
models, nodes = b'', b''
def model(size, voxels):
    return chunk(b'SIZE', struct.pack('<III', *size)) + chunk(b'XYZI', struct.pack('<I', len(voxels)) + b''.join(bytes(v)+b'\x01' for v in voxels))
castle = [(x, y, 0) for y in range(h) for x in range(w)] + [(x, y, z) for y in range(h) for x in range(w) if wall[y][x] for z in (1, 2, 3)]
parts = [('castle', (w, h, 5), castle, (w//2, h//2, 2))]
for n, k in (('start', 'S'), ('goal', 'G'), ('mark_bridge', 'B')):
    parts.append((n, (1, 1, 1), [(0, 0, 0)], (*spot[k], 1)))
for _, size, voxels, _ in parts: models += model(size, voxels)
nodes += chunk(b'nTRN', struct.pack('<I', 0)+attrs({})+struct.pack('<IiiI', 1, -1, -1, 1)+attrs({}))
nodes += chunk(b'nGRP', struct.pack('<I', 1)+attrs({})+struct.pack('<I', len(parts))+b''.join(struct.pack('<I', 2+2*i) for i in range(len(parts))))
for i, (n, size, _, t) in enumerate(parts):
    nodes += chunk(b'nTRN', struct.pack('<I', 2+2*i)+attrs({'_name': n})+struct.pack('<IiiI', 3+2*i, -1, 0, 1)+attrs({'_t': '%d %d %d' % t}))
    nodes += chunk(b'nSHP', struct.pack('<I', 3+2*i)+attrs({})+struct.pack('<I', 1)+struct.pack('<I', i)+attrs({}))
(out/'castle.vox').write_bytes(b'VOX ' + struct.pack('<I', 150) + chunk(b'MAIN', b'', models+nodes))

# glTF by trimesh: a floor, walls as boxes of height 3, a ramp to a terrace; y upwards.
import trimesh
def box(x0, y0, z0, x1, y1, z1):
    m = trimesh.creation.box(bounds=[[x0, y0, z0], [x1, y1, z1]]); return m
scene = trimesh.Scene()
floor = trimesh.Trimesh([[0,0,0],[w,0,0],[w,0,h],[0,0,h]], [[0,2,1],[0,3,2]], process=False)
scene.add_geometry(floor, node_name='floor')
runs = []
for y in range(h):
    x = 0
    while x < w:
        if wall[y][x]:
            e = x
            while e < w and wall[y][e]: e += 1
            runs.append(box(x, 0, y, e, 3, y+1)); x = e
        else: x += 1
scene.add_geometry(trimesh.util.concatenate(runs), node_name='walls')
x0, x1, y0, y1 = 18, 21, 9, 11
ramp = trimesh.Trimesh([[14,0,1],[14,0,3],[11,1,1],[11,1,3]], [[0,2,1],[1,2,3]], process=False)
for n, k in (('start', 'S'), ('goal', 'G'), ('mark_bridge', 'B')):
    m = np.eye(4); m[:3, 3] = [spot[k][0]+.5, 0.5, spot[k][1]+.5]
    scene.graph.update(frame_to=n, frame_from='world', matrix=m)
(out/'castle.glb').write_bytes(trimesh.exchange.gltf.export_glb(scene))
mesh = trimesh.util.concatenate([floor]+runs)
(out/'castle.obj').write_text('o castle\n' + trimesh.exchange.obj.export_obj(mesh, header=None).replace('o castle\n','') if False else 'o castle\n'+''.join('v %g %g %g\n' % tuple(v) for v in mesh.vertices)+''.join('f %d %d %d\n' % tuple(f+1) for f in mesh.faces))

# GeoTIFF by tifffile: a hill with a terrace, no data in a corner.
import tifffile
yy, xx = np.mgrid[0:40, 0:60]
z = (8*np.exp(-((xx-35)**2+(yy-18)**2)/120.)).round(2).astype('f4')
z[8:14, 8:20] = 3; z[:6, 50:] = -9999
tifffile.imwrite(out/'hill.tif', z, compression='zlib', predictor=False, extratags=[(33550, 'd', 3, (2.0, 2.0, 0.0), True), (33922, 'd', 6, (0,0,0,500000,4000000,0), True), (42113, 's', 0, '-9999', True)])
# What all of them must be, for the tests.
(out/'castle.map').write_text(f'type octile\nheight {h}\nwidth {w}\nmap\n' + '\n'.join(''.join('@' if c == '#' else '.' for c in r) for r in rows) + '\n')

# A house of two floors, stairs inside, a balcony, and a yard that nobody gets out of.
voxels = set()
def walls(x0, y0, x1, y1, z0, z1):
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            if x in (x0, x1) or y in (y0, y1):
                voxels.update((x, y, z) for z in range(z0, z1 + 1))
def slab(x0, y0, x1, y1, z):
    voxels.update((x, y, z) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1))
def open_up(x0, y0, x1, y1, z0, z1):
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            voxels.difference_update((x, y, z) for z in range(z0, z1 + 1))
slab(0, 0, 23, 13, 0)
for floor in (1, 5):
    walls(6, 3, 17, 10, floor, floor + 2)
    slab(6, 3, 17, 10, floor + 3)
open_up(9, 10, 10, 10, 1, 3)  # the door
open_up(17, 5, 17, 6, 5, 7)  # onto the balcony
for k, x in enumerate((8, 9, 10)):
    voxels.update((x, 4, z) for z in range(1, k + 2))
open_up(7, 4, 10, 4, 4, 4)  # over the stairs
walls(13, 4, 13, 9, 1, 3)
open_up(13, 7, 13, 7, 1, 3)
slab(18, 5, 21, 7, 4)
walls(18, 8, 22, 12, 1, 3)
lines = ["voxel 24 14 10"] + ["%d %d %d" % v for v in sorted(voxels, key=lambda v: v[::-1])]
(out / 'house.3dmap').write_text("\n".join(lines) + "\n")
