// A navigation mesh of Recast with the jump links of Namiji as off-mesh connections.
//
//     recast HEIGHTS LINKS X,Y X,Y
//
// HEIGHTS: "columns rows cell", then a height a cell. LINKS: x y z x y z both_ways a line, z upwards.
// Prints how many polygons a path between two places has, and whether it ends where it should.
#include <recastnavigation/DetourNavMesh.h>
#include <recastnavigation/DetourNavMeshBuilder.h>
#include <recastnavigation/DetourNavMeshQuery.h>
#include <recastnavigation/Recast.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

int main(int count, char **argument) {
    if (count != 5) return 2;
    // The ground: two triangles a cell, around its centre. Recast's y points upwards.
    std::ifstream heights(argument[1]);
    int columns, rows;
    float cell;
    heights >> columns >> rows >> cell;
    std::vector<float> points;
    std::vector<int> triangles;
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            float height;
            heights >> height;
            const int first = int(points.size() / 3);
            for (int corner = 0; corner < 4; ++corner) {
                points.push_back((x + (corner % 2 ? 0.5f : -0.5f)) * cell);
                points.push_back(height);
                points.push_back((y + (corner / 2 ? 0.5f : -0.5f)) * cell);
            }
            for (int corner : {0, 2, 1, 1, 2, 3}) triangles.push_back(first + corner);
        }

    // The links.
    std::ifstream links(argument[2]);
    std::vector<float> ends, radii;
    std::vector<unsigned char> ways, areas;
    std::vector<unsigned short> flags;
    float a[3], b[3];
    int both;
    while (links >> a[0] >> a[1] >> a[2] >> b[0] >> b[1] >> b[2] >> both) {
        for (const float *end : {a, b})
            for (int axis : {0, 2, 1}) ends.push_back(end[axis]);
        radii.push_back(0.5f * cell);
        ways.push_back(both ? DT_OFFMESH_CON_BIDIR : 0);
        areas.push_back(1);
        flags.push_back(1);
    }

    // Recast's own steps.
    rcContext context(false);
    float low[3], high[3];
    const int corners = int(points.size() / 3), faces = int(triangles.size() / 3);
    rcCalcBounds(points.data(), corners, low, high);
    high[1] += 4;
    const float cs = 0.1f * cell, ch = 0.1f;
    int width, depth;
    rcCalcGridSize(low, high, cs, &width, &depth);
    rcHeightfield *field = rcAllocHeightfield();
    rcCreateHeightfield(&context, *field, width, depth, low, high, cs, ch);
    std::vector<unsigned char> area(faces, 0);
    rcMarkWalkableTriangles(&context, 45, points.data(), corners, triangles.data(), faces, area.data());
    rcRasterizeTriangles(&context, points.data(), corners, triangles.data(), area.data(), faces, *field, 1);
    rcCompactHeightfield *compact = rcAllocCompactHeightfield();
    rcBuildCompactHeightfield(&context, 20, 1, *field, *compact);
    rcBuildDistanceField(&context, *compact);
    rcBuildRegions(&context, *compact, 0, 8, 20);
    rcContourSet *contours = rcAllocContourSet();
    rcBuildContours(&context, *compact, 1.3f, 40, *contours);
    rcPolyMesh *mesh = rcAllocPolyMesh();
    rcBuildPolyMesh(&context, *contours, 6, *mesh);
    for (int i = 0; i < mesh->npolys; ++i) mesh->flags[i] = 1;

    dtNavMeshCreateParams params;
    memset(&params, 0, sizeof params);
    params.verts = mesh->verts;
    params.vertCount = mesh->nverts;
    params.polys = mesh->polys;
    params.polyAreas = mesh->areas;
    params.polyFlags = mesh->flags;
    params.polyCount = mesh->npolys;
    params.nvp = mesh->nvp;
    params.offMeshConVerts = ends.data();
    params.offMeshConRad = radii.data();
    params.offMeshConDir = ways.data();
    params.offMeshConAreas = areas.data();
    params.offMeshConFlags = flags.data();
    params.offMeshConCount = int(radii.size());
    params.walkableHeight = 2;
    params.walkableClimb = 3 * ch;  // heights are rounded to ch
    memcpy(params.bmin, mesh->bmin, sizeof params.bmin);
    memcpy(params.bmax, mesh->bmax, sizeof params.bmax);
    params.cs = cs;
    params.ch = ch;
    params.buildBvTree = true;
    unsigned char *data;
    int size;
    if (!dtCreateNavMeshData(&params, &data, &size)) return 3;
    dtNavMesh navigation;
    if (dtStatusFailed(navigation.init(data, size, DT_TILE_FREE_DATA))) return 3;
    dtNavMeshQuery query;
    query.init(&navigation, 512);
    dtQueryFilter filter;
    dtPolyRef refs[2];
    float at[2][3];
    const float around[3] = {0.2f * cell, 20, 0.2f * cell};
    for (int end = 0; end < 2; ++end) {
        char *rest;
        const float x = strtof(argument[3 + end], &rest), y = strtof(rest + 1, nullptr);
        const float place[3] = {x * cell, 0, y * cell};
        query.findNearestPoly(place, around, &filter, &refs[end], at[end]);
        if (!refs[end]) return 4;
    }
    dtPolyRef path[256];
    int length = 0;
    const dtStatus status =
        query.findPath(refs[0], refs[1], at[0], at[1], &filter, path, &length, 256);
    const bool whole = dtStatusSucceed(status) && length && path[length - 1] == refs[1];
    printf("%d %s\n", length, whole ? "whole" : "partial");
}
