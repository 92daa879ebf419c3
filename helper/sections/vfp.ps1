# Switch ports of VFP, the extension under networks of HNS. vfpctrl is installed with it.

function Get-VfpPortSection {
    $vfpctrl = Get-SystemProgram -Name vfpctrl.exe
    if (-not (Test-Path -LiteralPath $vfpctrl)) { throw (New-HelperError -Kind NotInstalled -Message 'vfpctrl.exe was not found') }
    $text = Invoke-NativeChecked -Path $vfpctrl -Arguments @('/list-vmswitch-port')
    # Each port begins with its name. The output is English on every Windows.
    foreach ($block in @($text -split '(?m)^(?=[ \t]*Port name[ \t]*:)' | Select-Object -Skip 1)) {
        $fields = ConvertFrom-VfpText -Text $block
        $name = [string]$fields['Port name']
        if ($name -notmatch '^[0-9A-Fa-f-]{36}\z') { throw (New-HelperError -Kind Failed -Message 'vfpctrl printed a port without an id.') }
        $entry = [ordered]@{
            Name         = $name
            FriendlyName = $fields['Port Friendly name']
            SwitchName   = $fields['Switch name']
            MacAddress   = Format-MacAddress -Address $fields['MAC address']
            Enabled      = $null
            Blocked      = $null
        }
        try {
            $state = ConvertFrom-VfpText -Text (Invoke-NativeChecked -Path $vfpctrl -Arguments @('/port', $name, '/get-port-state'))
            $entry['Enabled'] = ConvertFrom-VfpFlag -Text $state['Enabled']
            $entry['Blocked'] = ConvertFrom-VfpFlag -Text $state['Blocked']
        } catch {
            $failure = (ConvertTo-ErrorObject -ErrorRecord $_).message
            # The pod may have been deleted since the ports were listed.
            if ((Invoke-NativeChecked -Path $vfpctrl -Arguments @('/list-vmswitch-port')) -notmatch [regex]::Escape($name)) { continue }
            $entry['Error'] = $failure
        }
        [pscustomobject]$entry
    }
}

# "Name : value", one per line.
function ConvertFrom-VfpText {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Text)
    $fields = @{}
    foreach ($line in ($Text -split '\r?\n')) {
        if ($line -match '^\s*([^:]+?)\s*:\s*(.*?)\s*$' -and -not $fields.ContainsKey($Matches[1])) { $fields[$Matches[1]] = $Matches[2] }
    }
    $fields
}

# Any other word is unknown.
function ConvertFrom-VfpFlag {
    param([AllowNull()][AllowEmptyString()][string]$Text)
    if ($Text -eq 'TRUE') { return $true }
    if ($Text -eq 'FALSE') { return $false }
    $null
}
