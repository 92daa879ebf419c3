# Open vSwitch: four tables in the format of `ovs-vsctl --format=json list`.

function Get-OvsSection {
    $names = @('Open_vSwitch', 'Bridge', 'Port', 'Interface')
    $tables = @(Read-OvsTable -Names $names)
    $parts = for ($i = 0; $i -lt $names.Count; $i++) { '"{0}":{1}' -f $names[$i], $tables[$i] }
    $paths = ConvertTo-JsonText -Value ([pscustomobject]@{
            Version = Get-OvsVersion -Root (ConvertFrom-OvsTable -Json $tables[0] | Select-Object -First 1)
            DbPath  = Get-OvsDatabasePath
            RunDir  = Get-OvsRunFolder | Select-Object -First 1
        })
    New-RawJson -Text ($paths.TrimEnd('}') + ',"Tables":{' + [string]::Join(',', $parts) + '}}')
}

# From the program, otherwise from the database, where OVS writes it at start.
function Get-OvsVersion {
    param([AllowNull()][object]$Root)
    if ($null -ne (Find-OvsProgram) -and (Invoke-OvsVsctl -Arguments @('--version')) -match '\)\s+(\d+[\w.-]*)') { return $Matches[1] }
    $written = Get-Field -InputObject $Root -Name ovs_version
    if ($written -is [string]) { return $written }
    ''
}
